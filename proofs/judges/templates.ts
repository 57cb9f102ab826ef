// Judges the format uri-template, of the server and of the suite, by the tests of RFC 6570.
import { createConformance, isSent, isTaken, load } from './json-schema/judge-file';
import { DIALECTS, toContract } from './json-schema/read-suite';
import { readJsonFile, Verdicts } from './judge';

const FILES = ['spec-examples', 'spec-examples-by-section', 'extended-tests', 'negative-tests'];

/** Groups of tests that have the same variables. */
export type TemplateGroups = Readonly<
  Record<
    string,
    {
      readonly variables: Readonly<Record<string, unknown>>;
      /** What a template expands to: false where it cannot be expanded, and a list where each is right. */
      readonly testcases: readonly (readonly [template: string, expanded: string | readonly string[] | false])[];
    }
  >
>;

export function readGroups(data: string, file: string): TemplateGroups {
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
  for (const file of FILES) {
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
