import { titleOf, type Case } from '../../src/generators/case';
import { operationOf } from '../../src/contract/model';
import { sentContent } from '../../src/oracle/body';
import type { CaseResult, Oracle } from '../../src/oracle/checks';
import { isAccepted } from '../../src/oracle/judge';
import { readJson } from '../../src/wire/json';
import { typeVerdicts } from './type-verdicts';

/** What three who share nothing say of a body. */
export interface Verdicts {
  readonly case: Case;
  /** Undefined where a type cannot say it: limits, patterns, formats, lengths. */
  readonly types: boolean | undefined;
  readonly server: boolean;
  readonly validator: boolean;
}

const SAID_BY_TYPES = new Set(['type', 'required', 'enum', 'const']);

/** The verdicts on every case with a body that is JSON. */
export function compareVerdicts({ model, validate }: Oracle, results: readonly CaseResult[]): Verdicts[] {
  const compared = results.filter(
    ({ case: one }) =>
      one.keyword !== undefined &&
      one.request.body?.length &&
      sentContent(operationOf(model, one), one)?.kind === 'json',
  );
  const accepted = typeVerdicts(
    model,
    compared.map(({ case: one }) => one),
  );
  return compared.map(({ case: one, replies }, index) => {
    const operation = operationOf(model, one);
    const content = sentContent(operation, one);
    const json = readJson(one.request.body?.toString('utf8') ?? '');
    const problems = content?.schema.places.flatMap(({ pointer }) => validate(pointer, json)) ?? [];
    // What a type accepts may still break another rule; what it refuses is wrong.
    const isSaid = one.expect === 'accepted' || SAID_BY_TYPES.has(one.keyword ?? '');
    return {
      case: one,
      types: isSaid || accepted[index] === false ? accepted[index] : undefined,
      // What it cannot do, it has not refused.
      server: replies.every(({ status }) => isAccepted(operation, status) || status >= 500),
      validator: problems.length === 0,
    };
  });
}

export function isAgreed({ types, server, validator }: Verdicts): boolean {
  return server === validator && (types === undefined || types === validator);
}

export function describeVerdicts({ case: one, types, server, validator }: Verdicts): string {
  const word = (accepts: boolean | undefined): string =>
    accepts === undefined ? 'cannot say' : accepts ? 'accepts' : 'refuses';
  return `${titleOf(one)}\n  sent: ${one.request.body?.toString('utf8').slice(0, 300) ?? ''}\n  the generated types: ${word(types)}\n  the server: ${word(server)}\n  the independent validator: ${word(validator)}`;
}
