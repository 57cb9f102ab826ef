// Judges the readers of media types by web-platform-tests, which say how a browser reads them.
import { essenceOf, isJsonType } from '../../packages/conformance/src/wire/media-type';
import { isJson, parseMediaType, type MediaType } from '../../packages/contract/src/5-messages/media-type';
import { readJsonFile, Verdicts } from './judge';

const TOKEN = "[\\w!#$%&'*+.^`|~-]+";
const QUOTED = '"(?:[\\t !#-[\\]-~\\x80-\\xff]|\\\\[\\t -~\\x80-\\xff])*"';
/** RFC 9110 sections 5.6.6 and 8.3.1: what a browser repairs is not of this form. */
const WELL_FORMED = new RegExp(`^${TOKEN}/${TOKEN}(?:[ \\t]*;[ \\t]*(?:${TOKEN}=(?:${TOKEN}|${QUOTED}))?)*$`);

interface Row {
  readonly input: string;
  /** What it means, written anew; null for nothing. */
  readonly output: string | null;
}

interface GroupRow {
  readonly input: string;
  readonly groups: readonly string[];
}

/** `output` is written as such values are: its own grammar reads it. */
const PARAMETER = new RegExp(`;(${TOKEN})=(?:"((?:[^"\\\\]|\\\\.)*)"|(${TOKEN}))`, 'g');

// oxlint-disable-next-line typescript/require-await -- judges are asynchronous
export async function judgeMediaTypes(data: string): Promise<Verdicts> {
  const verdicts = new Verdicts();
  const rows = ['mime-types.json', 'generated-mime-types.json'].flatMap((file) => readRows<Row>(data, file));
  for (const { input, output } of rows) verdicts.add(JSON.stringify(input), judgeRow(input, output));
  for (const { input, groups } of readRows<GroupRow>(data, 'mime-groups.json')) {
    const wanted = groups.includes('JSON');
    const type = parseMediaType(input);
    const isRight = (type !== undefined && isJson(type)) === wanted && isJsonType(essenceOf(input)) === wanted;
    verdicts.add(`${input}, JSON`, isRight ? undefined : wanted ? 'not JSON' : 'JSON');
  }
  return verdicts;
}

/** The rows of a file, without the strings between them, which are headings. */
function readRows<T>(data: string, file: string): T[] {
  const rows = readJsonFile(data, 'web-platform-tests', file) as readonly (T | string)[];
  return rows.filter((row): row is T => typeof row !== 'string');
}

function judgeRow(input: string, output: string | null): string | undefined {
  const read = parseMediaType(input);
  if (read === undefined) return output !== null && WELL_FORMED.test(input) ? 'refused' : undefined;
  if (output === null) return 'accepted';
  const found = write(read);
  return found === write(readOutput(output)) ? undefined : found;
}

function readOutput(output: string): MediaType {
  const pairs = [...output.matchAll(PARAMETER)].map(([, name = '', quoted, token]) => {
    return [name, quoted?.replace(/\\(.)/g, '$1') ?? token ?? ''] as const;
  });
  const charset = pairs.find(([name]) => name === 'charset')?.[1].toLowerCase();
  const parameters = pairs.filter(([name]) => name !== 'charset').map((pair) => pair.join('='));
  return { name: output.replace(/;.*$/s, ''), parameters, charset };
}

function write({ name, parameters, charset }: MediaType): string {
  return JSON.stringify([name, ...parameters, ...(charset === undefined ? [] : [`charset=${charset}`])]);
}
