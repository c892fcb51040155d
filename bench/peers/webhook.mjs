// Shared by the peers in JavaScript: the signature check by the provider's own package, the fields read from an event,
// and the Express application.
import express from 'express';
import { Stripe } from 'stripe';

const secret = process.env.STRIPE_WEBHOOK_SECRET;

// Throws where the signature is wrong. `body`: the raw bytes.
export function verified(body, header) {
  return Stripe.webhooks.constructEvent(body, header, secret);
}

export function payment(event) {
  const intent = event.data.object;
  return {
    id: event.id, effect: `stripe/capture/${intent.id}`, account: intent.metadata.account,
    minor: intent.amount_received, currency: intent.currency.toUpperCase(),
  };
}

// An Express application with one route, POST /webhooks/PROVIDER: `take` gets the verified event and returns what is
// answered.
export function receiver(routes) {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.get('/healthz', (request, response) => { response.end(); });
  for (const [path, take] of Object.entries(routes)) {
    app.post(path, express.raw({ type: () => true, limit: '1mb' }), async (request, response) => {
      let event;
      try {
        event = verified(request.body, request.headers['stripe-signature']);
      } catch (error) {
        response.status(401).json({ code: error.type ?? 'unreadable' });
        return;
      }
      try {
        response.json(await take(event));
      } catch (error) {
        console.error(error.message);
        response.status(503).set('Retry-After', '1').end();
      }
    });
  }
  return app;
}
