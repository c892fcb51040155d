INSERT INTO provider_pauses (provider, paused_by, reason) VALUES ($1, $2, $3)
ON CONFLICT (provider) DO NOTHING
