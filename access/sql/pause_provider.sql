-- takes provider text, paused_by text, reason text
INSERT INTO provider_pauses (provider, paused_by, reason) VALUES (:provider, :paused_by, :reason)
ON CONFLICT (provider) DO NOTHING
