SELECT mode FROM installation FOR UPDATE
