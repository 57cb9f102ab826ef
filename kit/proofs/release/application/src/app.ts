// An application with a compiler and tests of its own, which takes the kit step by step.
import { createRenderer, createTokenVerifier, loadContract, serveContract, watchContract } from '@contract-kit/server';
import express, { type Express } from 'express';
import * as validator from 'express-openapi-validator';
import { sha256 } from '#generated/contract.js';
import type { Handler, RenderError, Verifiers } from '#generated/handlers.js';
import { handlers } from './handlers';

const BOOKS = [{ isbn: '9780140449136', title: 'The Odyssey' }];
const contract = loadContract('openapi.yaml', sha256);
const verify = createTokenVerifier(['a-token-of-16-or-more']);
const verifiers: Verifiers = { librarian: verify, deskKey: verify };
const renderError: RenderError = ({ status, message }) => ({ error: status, message });
const render = createRenderer({ contract, renderError });
const listBooks: Handler<'listBooks'> = ({ query }, reply) => reply(200, BOOKS.slice(0, query.limit));
const written = { ...handlers, listBooks };

/** What each step puts in front of the routes. */
const STEPS = {
  before: () => [],
  watched: async () => [await watchContract({ contract })],
  enforced: async () => [await serveContract({ contract, validator, handlers: written, verifiers, render })],
};

export async function createApp(step: keyof typeof STEPS): Promise<Express> {
  const app = express();
  app.use(express.json(), ...(await STEPS[step]()));
  app.get('/books', (req, res) => void res.json(BOOKS.slice(0, Number(req.query['limit'] ?? 10))));
  app.post('/books', (req, res) => void res.status(201).json(req.body));
  return app;
}
