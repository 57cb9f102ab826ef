// Judges the format uri-template, and how the server reads and the suite writes the styles of parameters, by RFC 6570's tests.
import { isDeepStrictEqual } from 'node:util';
import { readModel } from '../../packages/conformance/src/contract/model';
import { writeParameter } from '../../packages/conformance/src/contract/serialization';
import type { UntypedHandler } from '../../packages/server/src/pipeline/pipeline';
import { serveText } from '@contract-kit/test-support/serve-text';
import { createConformance, DIALECTS, isSent, isTaken, load, toContract } from './json-schema';
import { readJsonFile, Verdicts } from './judge';

const FILES = ['spec-examples', 'spec-examples-by-section', 'extended-tests'];

/** Groups of tests that have the same variables. */
type TemplateGroups = Readonly<
  Record<
    string,
    {
      readonly variables: Readonly<Record<string, unknown>>;
      /** What a template expands to: false where it cannot be expanded, and a list where each is right. */
      readonly testcases: readonly (readonly [template: string, expanded: string | readonly string[] | false])[];
    }
  >
>;

function readGroups(data: string, file: string): TemplateGroups {
  return readJsonFile(data, 'uri-templates', `${file}.json`) as TemplateGroups;
}

export async function judgeTemplates(data: string): Promise<Verdicts> {
  const verdicts = new Verdicts();
  const [dialect] = DIALECTS;
  if (!dialect) throw new Error('there is no dialect');
  const contract = JSON.stringify(toContract(dialect, { type: 'string', format: 'uri-template' }));
  const service = await load(contract);
  if (typeof service === 'string') throw new Error(service);
  const conforms = createConformance(contract);
  for (const file of [...FILES, 'negative-tests']) {
    const rows = Object.values(readGroups(data, file)).flatMap(({ testcases }) => testcases);
    for (const [template, expanded] of rows) {
      const text = JSON.stringify(template);
      const isValid = expanded !== false;
      const answers = { request: isTaken(service, text), reply: isSent(service, text), suite: await conforms(text) };
      const wrong = Object.entries(answers).flatMap(([by, is]) => (is === isValid ? [] : by));
      verdicts.add(
        template,
        wrong.length === 0 ? undefined : `${isValid ? 'refused' : 'accepted'} by ${wrong.join(', ')}`,
      );
    }
  }
  return verdicts;
}

/** OpenAPI, Parameter Object: the styles that are those of RFC 6570, by its operators. */
const STYLES: Readonly<Record<string, { readonly in: 'path' | 'query'; readonly style: string }>> = {
  '': { in: 'path', style: 'simple' },
  '.': { in: 'path', style: 'label' },
  ';': { in: 'path', style: 'matrix' },
  '?': { in: 'query', style: 'form' },
};
const ONE_VARIABLE = /^\{([.;?]?)(\w+)(\*?)\}$/;

type Value = string | readonly string[] | Readonly<Record<string, string>>;

/** A parameter, a value, and how it is written. */
interface Example {
  readonly test: string;
  readonly parameter: { readonly name: string; readonly in: 'path' | 'query'; readonly schema: object };
  readonly value: Value;
  readonly texts: readonly string[];
}

export async function judgeStyles(data: string): Promise<Verdicts> {
  const verdicts = new Verdicts();
  const examples = readExamples(data);
  const contract = writeContract(examples);
  const { operations } = readModel(contract);
  const seen: unknown[] = [];
  const keep: UntypedHandler = ({ path, query }, reply) => {
    seen.push({ ...(path as object), ...(query as object) });
    return reply(204);
  };
  const handlers = Object.fromEntries(examples.map((_, index) => [`read${String(index)}`, keep]));
  await using server = await serveText(contract, handlers);
  for (const [index, { test, parameter, value, texts }] of examples.entries()) {
    for (const text of texts) {
      const reply = await fetch(`${server.base.origin}/${String(index)}${parameter.in === 'path' ? '/' : ''}${text}`);
      const isRead = reply.status === 204 && isDeepStrictEqual(seen.at(-1), { [parameter.name]: value });
      verdicts.add(
        `${test} from ${text}, server`,
        isRead ? undefined : `${String(reply.status)} ${JSON.stringify(seen.at(-1))}`,
      );
    }
    const [written] = operations[index]?.parameters ?? [];
    const found = written && `${parameter.in === 'query' ? '?' : ''}${writeParameter(written, value).join('&')}`;
    verdicts.add(`${test}, suite`, found !== undefined && texts.includes(found) ? undefined : String(found));
  }
  return verdicts;
}

/** The templates of one variable that is sent. */
function readExamples(data: string): Example[] {
  const rows = FILES.flatMap((file) => Object.values(readGroups(data, file))).flatMap(({ variables, testcases }) =>
    testcases.flatMap(([template, expanded]): Example[] => {
      const [, operator = '', name = '', star] = ONE_VARIABLE.exec(template) ?? [];
      const value = variables[name] as Value | undefined;
      const texts = [expanded].flat().filter((text) => typeof text === 'string' && text !== '');
      const place = STYLES[operator];
      if (star === undefined || value === undefined || !place || texts.length === 0) return [];
      const parameter = { name, ...place, explode: star === '*', required: true, schema: toSchema(value) };
      return [{ test: `${template} of ${JSON.stringify(value)}`, parameter, value, texts: texts as string[] }];
    }),
  );
  return [...new Map(rows.map((row) => [row.test, row])).values()];
}

function toSchema(value: Value): object {
  const text = { type: 'string' };
  if (typeof value === 'string') return text;
  if (Array.isArray(value)) return { type: 'array', items: text };
  return { type: 'object', properties: Object.fromEntries(Object.keys(value).map((key) => [key, text])) };
}

function writeContract(examples: readonly Example[]): string {
  const responses = { 204: { description: 'Read.' } };
  const paths = examples.map(({ parameter }, index) => {
    const path = `/${String(index)}${parameter.in === 'path' ? `/{${parameter.name}}` : ''}`;
    return [path, { get: { operationId: `read${String(index)}`, parameters: [parameter], responses } }];
  });
  return JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Styles', version: '1.0.0' },
    security: [],
    paths: Object.fromEntries(paths) as object,
  });
}
