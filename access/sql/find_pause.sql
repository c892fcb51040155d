-- takes provider text
-- gives provider text
SELECT provider FROM provider_pauses WHERE provider = :provider
