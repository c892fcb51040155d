-- gives mode text
SELECT mode FROM installation FOR UPDATE
