-- Collations whose recorded version differs from the operating system's: that of the database, and
-- those of Pawl's indexes; with the indexes that they order. From PostgreSQL 15 on.
-- gives name text, recorded text, actual text, indexes text
SELECT changed.name, changed.recorded, coalesce(changed.actual, 'unknown') AS actual,
       coalesce((SELECT string_agg(i.indexrelid::regclass::text, ', ' ORDER BY i.indexrelid)
                 FROM pg_index i
                 JOIN pg_class c ON c.oid = i.indexrelid
                 WHERE c.relnamespace = to_regnamespace('pawl')
                   AND changed.collation = ANY (i.indcollation::oid[])), '')
         AS indexes
FROM (SELECT 'of database ' || datname AS name, datcollversion AS recorded,
             pg_database_collation_actual_version(oid) AS actual,
             '"default"'::regcollation::oid AS collation
      FROM pg_database
      WHERE datname = current_database()
      UNION ALL
      SELECT collname, collversion, pg_collation_actual_version(oid), oid
      FROM pg_collation
      WHERE oid IN (SELECT unnest(i.indcollation::oid[])
                    FROM pg_index i
                    JOIN pg_class c ON c.oid = i.indexrelid
                    WHERE c.relnamespace = to_regnamespace('pawl'))) AS changed
WHERE changed.recorded IS NOT NULL AND changed.actual IS DISTINCT FROM changed.recorded
