-- takes capture_id text
-- gives {{capture}}
SELECT {{capture}}
FROM captures
WHERE capture_id = :capture_id
FOR NO KEY UPDATE
