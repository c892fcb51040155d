-- Transfers (:effect_keys to :refund_ids, one time for all) and the balances that they touch
-- (:accounts to :absolutes); the chain parameters are null where nothing chains them, and those
-- after them where no transfer has such a column. Returns the numbers of the transfers, and the
-- highest. A unique violation: a balance was written by another transaction since it was read.
-- takes effect_keys text[], debits text[], credits text[], currencies text[], amounts bigint[],
--       provider_names text[], event_ids text[], numbers bigint[], at timestamptz,
--       payment_ids text[], refund_ids text[], accounts text[], account_currencies text[],
--       last_sequences bigint[], late_counts bigint[], versions bigint[], absolutes boolean[],
--       chain_mark bytea null, chain_links bytea[] null, payment_keys text[] null,
--       occurred timestamptz[] null, entry_ids text[] null, sources text[] null,
--       reasons text[] null, reversed bigint[] null, corrected bigint[] null
-- gives ids text, last_id bigint null
SELECT ids::text, ids[cardinality(ids)] AS last_id
FROM post_transfers(
    effect_keys => :effect_keys, debits => :debits, credits => :credits,
    currencies => :currencies, amounts => :amounts, provider_names => :provider_names,
    event_ids => :event_ids, numbers => :numbers, at => :at,
    payment_ids => :payment_ids, refund_ids => :refund_ids, accounts => :accounts,
    account_currencies => :account_currencies, last_sequences => :last_sequences,
    late_counts => :late_counts,
    versions => :versions, absolutes => :absolutes, chain_mark => :chain_mark,
    chain_links => :chain_links, payment_keys => :payment_keys, occurred => :occurred,
    entry_ids => :entry_ids, sources => :sources, reasons => :reasons, reversed => :reversed,
    corrected => :corrected) AS ids
