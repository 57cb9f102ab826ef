import { BOUNDARY } from '../../../src/contract/serialization';
import { startStandIns, type StandInParts } from '../../stand-ins/start-stand-ins';
import {
  onObject,
  onStatus,
  withHeader,
  withStatus,
  install,
  type Fault,
  type SeenRequest,
  type SentReply,
} from './fault';
import { readFileSync } from 'node:fs';
import { createSuite, LEVELS, type Suite } from '@contract-kit/conformance';
import { mapInPool } from '../../../../../tests/support/map-in-pool';
import { demand, LANES, sampleOf, WHOLE, type Progress, type Proof } from '../proof';
import { createOrder, findComplaint, findMildest, type Mildest } from '../find-complaint';
import { expectedLevel } from './expected-levels';

/** One thing that is wrong with a server of tests/fixtures/contracts/features.yaml. */
interface FeatureFault extends Pick<Fault, 'name' | 'head' | 'body' | 'reply'>, Pick<StandInParts, 'unscoped'> {
  /** What stands in the contract that is enforced, and instead of what. */
  readonly enforces?: Readonly<Record<string, string>>;
}

const VESSEL = /^\/vessels/;
const NOTES = /^\/notes/;
const ARRIVALS = /^\/arrivals/;
const END = `--${BOUNDARY}--`;

const scopeFaults: readonly FeatureFault[] = [
  { name: 'scopes are ignored', unscoped: (scopes) => ({ scopes }) },
  {
    name: 'the scopes of one operation are ignored',
    enforces: { 'login: [papers, berths]': 'login: []' },
  },
  { name: 'a token without scopes is wrong', unscoped: () => undefined },
  { name: 'a want of scopes is told as 404', reply: onStatus([403], withStatus(404)) },
  { name: 'a 403 has no challenge', reply: onStatus([403], withHeader('WWW-Authenticate', undefined)) },
  {
    name: 'the challenge of a 403 names another error',
    reply: onStatus([403], withHeader('WWW-Authenticate', 'Bearer realm="a", error="invalid_token"')),
  },
];

const schemaFaults: readonly FeatureFault[] = [
  {
    name: 'an unknown tag is taken for a known one',
    body: (body) =>
      Buffer.from(body.toString('latin1').replace(/"kind":"(?!ferry"|Tug")[^"]*"/, '"kind":"Tug"'), 'latin1'),
  },
  {
    name: 'the tag may be missing',
    body: (body) => {
      const text = body.toString('latin1');
      return Buffer.from(text.includes('"kind"') ? text : text.replace(/^{(?=")/, '{"kind":"Tug",'), 'latin1');
    },
  },
  { name: 'what the tag asks for is not checked', enforces: { 'required: [seats]': 'required: []' } },
  {
    name: 'a tag of the mapping is not known',
    enforces: { ", mapping: { ferry: '#/components/schemas/Ferry' }": '' },
  },
  {
    name: 'what is writeOnly comes back',
    reply: on(
      VESSEL,
      onStatus(
        [200],
        onObject((body) => ({ ...body, code: 'a-code' })),
      ),
    ),
  },
  { name: 'what is readOnly is handed on', enforces: { 'maximum: 99, readOnly: true': 'maximum: 99' } },
  {
    name: 'what is readOnly is asked for',
    enforces: {
      'maximum: 99, readOnly: true': 'maximum: 99',
      'required: [kind, name]': 'required: [kind, name, berth]',
    },
  },
  { name: 'keywords beside a reference are ignored', enforces: { ', maximum: 40 }': ' }' } },
];

const formFaults: readonly FeatureFault[] = [
  { name: 'a required part may be missing', enforces: { 'required: [voyage, scan]': 'required: [voyage]' } },
  {
    name: 'parts are texts, whatever their type',
    enforces: { 'voyage: { type: integer, format: int64, minimum: 1 }': 'voyage: { type: string }' },
  },
  { name: 'the limit of a part is not kept', enforces: { 'format: int64, minimum: 1 }': 'format: int64 }' } },
  {
    name: 'any number of files is taken',
    enforces: { 'annexes: { type: array, maxItems: 2,': 'annexes: { type: array,' },
  },
  { name: 'any number of parts is taken', enforces: { 'cargo: { type: array, maxItems: 3,': 'cargo: { type: array,' } },
  {
    name: 'an object in a part is not checked',
    enforces: { "master: { $ref: '#/components/schemas/Person' }": 'master: { type: object }' },
  },
  { name: 'a file of any type is taken', enforces: { 'encoding: { scan:': 'x-encoding: { scan:' } },
  { name: 'a part that is there twice is read once', body: ofForms(withoutSecond) },
  { name: 'a form without its end is taken', body: ofForms(withEnd) },
  {
    name: 'a form is read without its boundary',
    head: ({ headers }) => {
      if (headers['content-type'] === 'multipart/form-data') headers['content-type'] += `; boundary=${BOUNDARY}`;
      return true;
    },
  },
  {
    name: 'a file is read as ASCII',
    body: ofForms((form) => Buffer.from(form.toString('latin1').replace(/[\x80-\xff]/g, '?'))),
  },
];

const mediaFaults: readonly FeatureFault[] = [
  { name: 'a text has another media type', reply: on(NOTES, onStatus([200], withHeader('Content-Type', 'text/rtf'))) },
  { name: 'a text is not UTF-8', reply: on(NOTES, onStatus([200], asText([0xff]))) },
  { name: 'a text may be of any length', enforces: { 'type: string, maxLength: 200': 'type: string' } },
  {
    name: 'an error of a range of statuses is not as declared',
    reply: on(
      NOTES,
      onStatus(
        [400],
        onObject(() => ({})),
      ),
    ),
  },
  {
    name: 'a stream has another media type',
    reply: on(ARRIVALS, onStatus([200], withHeader('Content-Type', 'text/plain'))),
  },
  { name: 'a stream is not UTF-8', reply: on(ARRIVALS, onStatus([200], withBytes([0x64, 0xff, 0x0a]))) },
];

/** Faults of what many contracts have beside plain JSON. */
export const featureFaults: readonly FeatureFault[] = [...scopeFaults, ...schemaFaults, ...formFaults, ...mediaFaults];

type ChangeReply = (reply: SentReply, request: SeenRequest) => SentReply;

function on(path: RegExp, change: ChangeReply): ChangeReply {
  return (reply, request) => (path.test(request.url) ? change(reply, request) : reply);
}

function withBytes(bytes: readonly number[]): ChangeReply {
  return (reply) => ({ ...reply, body: Buffer.from(bytes) });
}

function asText(bytes: readonly number[]): ChangeReply {
  return (reply, request) => withHeader('Content-Type', 'text/plain')(withBytes(bytes)(reply, request), request);
}

function ofForms(change: (form: Buffer) => Buffer): (body: Buffer) => Buffer {
  return (body) => (body.includes(`--${BOUNDARY}`) ? change(body) : body);
}

function withEnd(form: Buffer): Buffer {
  return form.includes(END) ? form : Buffer.concat([form, Buffer.from(`\r\n${END}\r\n`)]);
}

// Lists have several parts.
function withoutSecond(form: Buffer): Buffer {
  if (!form.includes(END)) return form;
  const seen = new Set<string>();
  const [end = ''] = form.toString('latin1').split(END).slice(1);
  const parts = form.toString('latin1').split(END)[0]?.split(`--${BOUNDARY}\r\n`) ?? [];
  const kept = parts.filter((part) => {
    const name = /; name="(voyage|master|scan|pages)"/.exec(part)?.[1];
    const isSecond = name !== undefined && seen.has(name);
    if (name !== undefined) seen.add(name);
    return !isSecond;
  });
  return Buffer.from(`${kept.join(`--${BOUNDARY}\r\n`)}${END}${end}`, 'latin1');
}

const TITLE = 'faults of features';
const FILE = 'tests/fixtures/contracts/features.yaml';
const BODY_LIMIT = 64 * 1024;

/** The kit with stand-ins for handlers and one fault each, held to a contract that has more than plain JSON. */
export async function proveFeatureFaults(progress: Progress, extent = WHOLE): Promise<Proof> {
  const source = readFileSync(FILE, 'utf8');
  const options = { bodyLimit: BODY_LIMIT, marker: 'text', hasUnscoped: () => true };
  const suites = LEVELS.map((level) => createSuite(source, { ...options, level }));
  const order = createOrder();
  const tryFault = (fault: FeatureFault): Promise<Mildest> =>
    findMildest(suites, (suite) =>
      withFault(source, suite, fault, (target) => findComplaint(() => suite, target, order)),
    );
  const faults = sampleOf(featureFaults, extent);
  const control = await tryFault({ name: 'no fault' });
  let done = 0;
  const verdicts = await mapInPool(faults, LANES, async (fault) => {
    const { complaint, level: found } = await tryFault(fault);
    progress(TITLE, ++done, faults.length);
    return { kind: 'features', name: fault.name, complaint, levels: { expected: expectedLevel(fault.name), found } };
  });
  return { title: TITLE, ...demand(extent, 31, 100), control: control.complaint, verdicts };
}

type Judge = (candidate: Parameters<typeof findComplaint>[1]) => Promise<string | undefined>;

async function withFault(
  source: string,
  suite: Suite,
  { enforces = {}, unscoped, ...change }: FeatureFault,
  judge: Judge,
): Promise<string | undefined> {
  const missing = Object.keys(enforces).find((part) => !source.includes(part));
  if (missing !== undefined) throw new Error(`${FILE} has no ${missing}`);
  const enforced = Object.entries(enforces).reduce((text, [from, to]) => text.replace(from, () => to), source);
  await using target = await startStandIns(source, suite, BODY_LIMIT, {
    enforced,
    ...(unscoped && { unscoped }),
    install: (server) => {
      install(server, () => change);
    },
  });
  const { situations = {} } = target;
  return await judge({ target, startSituations: () => Promise.resolve({ situations }) });
}
