// An application with a compiler and tests of its own, which takes the kit step by step.
import { DatabaseSync } from 'node:sqlite';
import { createRenderer, createTokenVerifier, loadContract, serveContract } from '@contract-kit/server';
import express, { type Express, type RequestHandler } from 'express';
import * as validator from 'express-openapi-validator';
import { sha256 } from '#generated/contract.js';
import type { Handler, RenderError, Verifiers } from '#generated/handlers.js';
import type { Book } from '#generated/schemas.js';
import { handlers } from './handlers';

/** An instance as an ORM returns it: its type is that of a book, and its properties are in a field of its own. */
class BookRow implements Book {
  constructor(readonly dataValues: Book) {}
  get isbn(): string {
    return this.dataValues.isbn;
  }
  get title(): string {
    return this.dataValues.title;
  }
  toJSON(): Book {
    return this.dataValues;
  }
}

const BOOKS: Book[] = [new BookRow({ isbn: '9780140449136', title: 'The Odyssey' })];
export const database = new DatabaseSync(':memory:');
database.exec('CREATE TABLE books (isbn TEXT, title TEXT)');

function insert({ isbn, title }: Book): void {
  database.prepare('INSERT INTO books VALUES (?, ?)').run(isbn, title);
}

/** Gives a request a transaction, which ends when Express sends the reply. */
export const transact: RequestHandler = (_req, res, next) => {
  const send = res.send.bind(res);
  database.exec('BEGIN');
  res.send = (body) => {
    if (database.isTransaction) database.exec(res.statusCode < 400 ? 'COMMIT' : 'ROLLBACK');
    return send(body);
  };
  next();
};

const contract = loadContract('openapi.yaml', sha256);
const verify = createTokenVerifier(['a-token-of-16-or-more']);
const verifiers: Verifiers = { librarian: verify, deskKey: verify };
const renderError: RenderError = ({ status, message }) => ({ error: status, message });
const render = createRenderer({ contract, renderError });
const listBooks: Handler<'listBooks'> = ({ query }, reply) => reply(200, BOOKS.slice(0, query.limit));
const addBook: Handler<'addBook'> = ({ body }, reply) => {
  insert(body);
  return reply(201, body);
};
const written = { ...handlers, listBooks, addBook };

/** What each step puts in front of the routes. */
const STEPS = {
  before: () => [],
  watched: async () => [await serveContract({ contract, mode: 'watch' })],
  enforced: async () => [await serveContract({ contract, validator, handlers: written, verifiers, render })],
};

export async function createApp(step: keyof typeof STEPS, ...before: RequestHandler[]): Promise<Express> {
  const app = express();
  app.use(express.json(), ...before, ...(await STEPS[step]()));
  app.get('/books', (req, res) => void res.json(BOOKS.slice(0, Number(req.query['limit'] ?? 10))));
  app.post('/books', (req, res) => {
    insert({ isbn: '', title: '', ...req.body });
    res.status(201).json(req.body);
  });
  return app;
}
