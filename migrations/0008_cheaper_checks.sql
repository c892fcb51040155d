-- What every booked event is checked against, said without regular expressions, of which a
-- transfer had three and a balance two: they were a good part of the time of writing it. The rules
-- are the same.
SET LOCAL ROLE pawl_owner;

ALTER TABLE transfers
    DROP CONSTRAINT transfers_currency_is_iso,
    ADD CONSTRAINT transfers_currency_is_iso CHECK (
        length(currency) = 3 AND translate(currency, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', '') = '');
ALTER TABLE balances
    DROP CONSTRAINT balances_currency_is_iso,
    DROP CONSTRAINT balances_not_clearing,
    ADD CONSTRAINT balances_currency_is_iso CHECK (
        length(currency) = 3 AND translate(currency, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', '') = ''),
    ADD CONSTRAINT balances_not_clearing CHECK (account NOT LIKE '%:clearing');

-- A query finds these where it repeats their condition in the same words.
DROP INDEX transfers_credits, transfers_debits;
CREATE INDEX transfers_credits ON transfers (credit_account, id)
    WHERE credit_account NOT LIKE '%:clearing';
CREATE INDEX transfers_debits ON transfers (debit_account, id)
    WHERE debit_account NOT LIKE '%:clearing';
