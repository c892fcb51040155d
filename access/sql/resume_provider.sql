DELETE FROM provider_pauses WHERE provider = $1
