// Derives the cases of a contract.
import type { Case, CLASSES, Expectation } from './case';
import type { Model, Operation } from './contract/model';
import { auth } from './generators/auth';
import { connection } from './generators/connection';
import { fault } from './generators/fault';
import { malformed } from './generators/malformed';
import { media } from './generators/media';
import { method } from './generators/method';
import { negative } from './generators/negative';
import { parameter } from './generators/parameter';
import { path } from './generators/path';
import { positive } from './generators/positive';
import { repeat } from './generators/repeat';
import { size } from './generators/size';
import type { Values } from './values/variant';

/** What a contract does not say, and the cases depend on. */
export interface DeriveOptions {
  /** The largest body that the server takes, in bytes. */
  readonly bodyLimit: number;
  /** The text that strings have where any will do, so that what was made can be told. */
  readonly mark: string;
  /** Which operations cases are made for; all of them unless it is set. */
  readonly isTried?: (operation: Operation) => boolean;
}

type Generator = (values: Values, operation: Operation, model: Model, options: DeriveOptions) => Case[];

const GENERATORS: Readonly<Record<(typeof CLASSES)[number], Generator>> = {
  positive,
  negative,
  malformed,
  media,
  size: (values, operation, _model, { bodyLimit }) => size(values, operation, bodyLimit),
  auth,
  method,
  path,
  parameter,
  repeat,
  connection,
  fault,
};

/** Every case that follows from a contract. Two derivations are the same. */
export function deriveCases(model: Model, values: Values, options: DeriveOptions): Case[] {
  const { untried } = model.contract;
  const { isTried = () => true } = options;
  const derived = model.operations
    .filter(isTried)
    .flatMap((operation) =>
      Object.values(GENERATORS).flatMap((generate) =>
        untried.attempt(() => generate(values, operation, model, options), []),
      ),
    );
  return derived.filter((one) => {
    const steps = one.before ? [one.before, one] : [one];
    const obstacle = steps.find(({ expect, request }) => NEEDS_RIGHT.has(expect) && request.obstacle)?.request.obstacle;
    if (obstacle) untried.add(obstacle);
    return obstacle === undefined;
  });
}

// What is only right when nothing of the request is wrong.
const NEEDS_RIGHT: ReadonlySet<Expectation> = new Set(['accepted', 'failed', 'unavailable']);
