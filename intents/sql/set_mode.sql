-- takes mode text
UPDATE installation SET mode = :mode WHERE mode <> :mode
