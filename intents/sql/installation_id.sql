-- No row before a server has claimed the database's mode.
-- gives id bytea
SELECT uuid_send(id) AS id FROM installation
