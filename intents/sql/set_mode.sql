UPDATE installation SET mode = $1 WHERE mode <> $1
