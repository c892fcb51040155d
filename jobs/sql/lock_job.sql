SELECT state FROM jobs WHERE id = $1 AND target = $2 FOR UPDATE
