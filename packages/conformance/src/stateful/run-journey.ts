import type { Case } from '../case';
import type { Operation } from '../contract/model';
import { validRequest, type Difference } from '../generators/valid-request';
import { bodyOf } from '../oracle/body';
import { sentBody } from '../oracle/echo';
import { findings } from '../oracle/checks';
import { runCase, type CaseResult, type Tools } from '../run-case';
import { isJsonList, isJsonObject, isSame, toText, type Json, type JsonObject } from '../wire/json';
import { writeParameter } from '../wire/parameter';
import type { Journey } from './journeys';

/**
 * Creates, and reads what was created: by its key, and in the list of all.
 *
 * @example const results = await runJourney({ oracle, values: suite.values, target }, journey)
 */
export async function runJourney(tools: Tools, { create, read, list }: Journey): Promise<CaseResult[]> {
  // Nobody can tell what to create.
  if (validRequest(tools.values, create).obstacle) return [];
  const created = await step(tools, create, 'create', {});
  const known = { ...sentBody(created.case), ...toObject(created) };
  const results = [created];
  if (created.findings.length > 0) return results;
  if (read) {
    const text = writeParameter(read.parameter, known[read.property] ?? null);
    const found = await step(tools, read.operation, 'read what was created', {
      parameters: new Map([[read.parameter, text]]),
    });
    results.push(failing(found, differences(known, toObject(found))));
  }
  if (list) {
    const listed = await step(tools, list, 'list what was created', {});
    const items = listed.replies.map(bodyOf).find(isJsonList) ?? [];
    const isThere = items.some((item) => isJsonObject(item) && differences(known, item).length === 0);
    results.push(failing(listed, isThere ? [] : ['what was created is not in the list']));
  }
  return results;
}

async function step(
  { oracle, values, target }: Tools,
  operation: Operation,
  label: string,
  difference: Difference,
): Promise<CaseResult> {
  const one: Case = {
    operation: operation.id,
    class: 'stateful',
    pointer: operation.pointer,
    label,
    covers: [],
    request: validRequest(values, operation, difference),
    expect: 'accepted',
  };
  const result = await runCase(oracle, target, one);
  const isSuccess = result.replies.every(({ status }) => status < 300);
  return failing(result, isSuccess ? [] : ['what was created cannot be read']);
}

function failing(result: CaseResult, failures: readonly string[]): CaseResult {
  return { ...result, findings: [...result.findings, ...findings('kept', failures)] };
}

function toObject({ replies }: CaseResult): JsonObject {
  const body = replies.map(bodyOf).find((one) => isJsonObject(one));
  return isJsonObject(body) ? body : {};
}

function differences(known: JsonObject, read: JsonObject): string[] {
  return Object.entries(read)
    .filter(([name, value]: [string, Json]) => known[name] !== undefined && !isSame(known[name], value))
    .map(([name, value]) => `${name} was ${toText(known[name])} and is read as ${toText(value)}`);
}
