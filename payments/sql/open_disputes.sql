SELECT EXISTS (SELECT FROM disputes WHERE payment_key = $1 AND state = 'opened')
