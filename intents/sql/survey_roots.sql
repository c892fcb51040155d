-- The roots of payments, by a row for each of their movements, in any order: to sort them here, a
-- plan by keys would walk through the whole journal. A root without a movement has one row. One of
-- more movements than are read is skipped, whatever the others are.
-- takes payment_key text[], refund_total text[], account text[], balance_currency text[]
-- gives payment_key text, payment_id text null, refund_total_known boolean,
--       account_is_absolute boolean, id bigint null, effect_key text null,
--       debit_account text null, credit_account text null, currency text null,
--       amount bigint null, entry_id text null, occurred_at timestamptz null
SELECT wanted.payment_key,
       (SELECT p.payment_id FROM payments p WHERE p.payment_key = wanted.payment_key LIMIT 1)
           AS payment_id,
       EXISTS (SELECT FROM running_totals r WHERE r.effect_key = wanted.refund_total)
           AS refund_total_known,
       EXISTS (SELECT FROM balances b
               WHERE b.account = wanted.account AND b.currency = wanted.balance_currency
                 AND b.absolute) AS account_is_absolute,
       t.id, t.effect_key, t.debit_account, t.credit_account, t.currency, t.amount, t.entry_id,
       t.occurred_at
FROM unnest(:payment_key, :refund_total, :account, :balance_currency)
  AS wanted (payment_key, refund_total, account, balance_currency)
LEFT JOIN LATERAL (
    SELECT * FROM transfers_of_root(wanted.payment_key)
    LIMIT 1000) AS t ON true
