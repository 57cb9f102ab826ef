// Checks that leaving out a parameter has the same effect as its declared default.
import { isSafeMethod, type Operation, type Parameter } from '../contract/model';
import { isGivenByReply } from '../contract/paging';
import { rulesOf } from '../contract/schema';
import { writeParameter, type ParameterText } from '../contract/serialization';
import { NOT_SENT, validRequest } from '../generators/valid-request';
import type { CaseResult } from '../oracle/checks';
import { toText, type Json } from '../wire/json';
import type { Bases, InstanceRun } from './bases';

// How often each request is sent. A second round shows whether replies to equal requests differ anyway.
const ROUNDS = 2;

export async function* checkDefaults(run: InstanceRun, bases: Bases): AsyncGenerator<CaseResult> {
  const operations = run.suite.model.operations.filter(
    (operation) => isSafeMethod(operation) && run.isAllowed(operation),
  );
  for (const operation of operations)
    for (const parameter of operation.parameters) {
      const [rule] = parameter.isRequired || isGivenByReply(parameter) ? [] : rulesOf(parameter.schema, 'default');
      if (rule && !parameter.skipReason) yield* compareWithDefault(run, bases, operation, [parameter, rule.value]);
    }
}

async function* compareWithDefault(
  { tools }: InstanceRun,
  bases: Bases,
  operation: Operation,
  [parameter, value]: readonly [Parameter, Json],
): AsyncGenerator<CaseResult> {
  const { id, method, path } = operation;
  const optionalParameters = operation.parameters.filter(({ isRequired }) => !isRequired);
  const send = (text: ParameterText, label: string): Promise<CaseResult> => {
    const parameters = new Map([
      ...optionalParameters.map((optionalParameter) => [optionalParameter, NOT_SENT] as const),
      [parameter, text],
    ]);
    const request = validRequest(tools.values, operation, { parameters });
    const caseBase = { operation: id, place: `${method} ${path}`, class: 'stateful', expect: 'accepted' } as const;
    return bases.run({ ...caseBase, pointer: parameter.pointer, label: `${parameter.name} ${label}`, request });
  };
  const rounds: (readonly [CaseResult, CaseResult])[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const [resultWithout, resultWithDefault] = [
      await send(NOT_SENT, 'left out'),
      await send(writeParameter(parameter, value), 'with its default'),
    ];
    rounds.push([resultWithout, resultWithDefault]);
    if (bodyOf(resultWithout) === bodyOf(resultWithDefault)) break;
  }
  const results = rounds.flat();
  const [[first, second], [third, fourth] = []] = [rounds[0] ?? [], rounds[1]];
  const isStable = third && fourth && bodyOf(first) === bodyOf(third) && bodyOf(second) === bodyOf(fourth);
  const text = `${parameter.name} has the default ${toText(value)}, but the reply is another one when it is left out`;
  const last = results.at(-1);
  yield* results.slice(0, -1);
  if (last) yield isStable ? { ...last, findings: [...last.findings, { check: 'default-not-applied', text }] } : last;
}

function bodyOf(result: CaseResult | undefined): string {
  const [reply] = result ? result.replies : [];
  return reply && reply.status < 300 ? reply.body.toString('latin1') : '';
}
