import { readFileSync } from 'node:fs';
import { createSuite, LEVELS, type Suite } from '@contract-kit/conformance';
import { MULTIPART_BOUNDARY } from '../../../src/contract/serialization';
import { startStandIns, type StandInParts } from '../../start-stand-ins';
import { createOrder, findComplaint, findMildest, type Candidate } from '../find-complaint';
import { prove, type Progress, type Proof } from '../proof';
import {
  atLevel,
  install,
  ofHead,
  ofStatus,
  ofText,
  onObject,
  toItems,
  withHeader,
  withMembers,
  type ChangeReply,
  type Fault,
  type SentReply,
} from './fault';

/** One thing that is wrong with a server of packages/test-support/fixtures/contracts/features.yaml. */
interface FeatureFault extends Fault, Pick<StandInParts, 'unscoped'> {
  /** What stands in the contract that is enforced, and instead of what. */
  readonly enforces?: Readonly<Record<string, string>>;
}

const VESSEL = /^\/vessels/;
const NOTES = /^\/notes/;
const ARRIVALS = /^\/arrivals/;
const END = `--${MULTIPART_BOUNDARY}--`;
const WITHOUT_READ_ONLY = { 'maximum: 99, readOnly: true': 'maximum: 99' };

/** Faults of what many contracts have beside plain JSON. */
export const featureFaults: readonly FeatureFault[] = [
  { name: 'scopes are ignored', unscoped: (scopes) => ({ scopes }) },
  enforcing('the scopes of one operation are ignored', { 'login: [papers, berths]': 'login: []' }),
  ofStatus('a 403 has no challenge', [403], withHeader('WWW-Authenticate', undefined)),
  ofText('the tag may be missing', (text) =>
    text.includes('"kind"') ? text : text.replace(/^{(?=")/, '{"kind":"Tug",'),
  ),
  enforcing('a tag of the mapping is not known', { ", mapping: { ferry: '#/components/schemas/Ferry' }": '' }),
  enforcing('what is readOnly is asked for', {
    ...WITHOUT_READ_ONLY,
    'required: [kind, name]': 'required: [kind, name, berth]',
  }),
  enforcing('keywords beside a reference are ignored', { ', maximum: 40 }': ' }' }),
  enforcing('a required part may be missing', { 'required: [voyage, scan]': 'required: [voyage]' }),
  enforcing('parts are texts, whatever their type', {
    'voyage: { type: integer, format: int64, minimum: 1 }': 'voyage: { type: string }',
  }),
  enforcing('the limit of a part is not kept', { 'format: int64, minimum: 1 }': 'format: int64 }' }),
  enforcing('any number of files is taken', { 'annexes: { type: array, maxItems: 2,': 'annexes: { type: array,' }),
  enforcing('any number of parts is taken', { 'cargo: { type: array, maxItems: 3,': 'cargo: { type: array,' }),
  enforcing('an object in a part is not checked', {
    "master: { $ref: '#/components/schemas/Person' }": 'master: { type: object }',
  }),
  ofPath('a text has another media type', NOTES, 200, withHeader('Content-Type', 'text/rtf')),
  ofPath('a text is not UTF-8', NOTES, 200, (reply) =>
    withHeader('Content-Type', 'text/plain')(withBytes(0xff)(reply)),
  ),
  enforcing('a text may be of any length', { 'type: string, maxLength: 200': 'type: string' }),
  ofPath(
    'an error of a range of statuses is not as declared',
    NOTES,
    400,
    onObject(() => ({})),
  ),
  ofPath('a stream has another media type', ARRIVALS, 200, withHeader('Content-Type', 'text/plain')),
  ofPath('a stream is not UTF-8', ARRIVALS, 200, withBytes(0x64, 0xff, 0x0a)),
  ofForm('a form is read as ASCII', (form) => Buffer.from(form.toString('latin1').replace(/[\x80-\xff]/g, '?'))),
  // Malformed messages and other media types: what a server may read in its way, and is not to accept.
  ...atLevel('robust', [
    enforcing('a file of any type is taken', { 'encoding: { scan:': 'x-encoding: { scan:' }),
    ofForm('a form without its end is taken', withEnd),
    ofHead('a form is read without its boundary', ({ headers }) => {
      if (headers['content-type'] === 'multipart/form-data')
        headers['content-type'] += `; boundary=${MULTIPART_BOUNDARY}`;
    }),
  ]),
  // What standards recommend: JSON Schema Validation 9.4, RFC 6750 3.1.
  ...atLevel<FeatureFault>('robust', [
    ofPath('what is writeOnly comes back', VESSEL, 200, withMembers({ code: 'a-code' })),
    enforcing('what is readOnly is handed on', WITHOUT_READ_ONLY),
    { name: 'a token without scopes is wrong', unscoped: () => undefined },
    ofStatus(
      'the challenge of a 403 names another error',
      [403],
      withHeader('WWW-Authenticate', 'Bearer realm="a", error="invalid_token"'),
    ),
  ]),
];

function enforcing(name: string, enforces: Readonly<Record<string, string>>): FeatureFault {
  return { name, enforces };
}

function ofPath(name: string, path: RegExp, status: number, change: ChangeReply): Fault {
  return ofStatus(name, [status], (reply, request) => (path.test(request.url) ? change(reply, request) : reply));
}

function withBytes(...bytes: readonly number[]): (reply: SentReply) => SentReply {
  return (reply) => ({ ...reply, body: Buffer.from(bytes) });
}

function ofForm(name: string, change: (form: Buffer) => Buffer): FeatureFault {
  return { name, body: (body) => (body.includes(`--${MULTIPART_BOUNDARY}`) ? change(body) : body) };
}

function withEnd(form: Buffer): Buffer {
  return form.includes(END) ? form : Buffer.concat([form, Buffer.from(`\r\n${END}\r\n`)]);
}

const FILE = 'packages/test-support/fixtures/contracts/features.yaml';
const BODY_LIMIT = 64 * 1024;

/** The kit with stand-ins for handlers and one fault each, held to a contract that has more than plain JSON. */
export async function proveFeatureFaults(progress: Progress, extent: number): Promise<Proof> {
  const source = readFileSync(FILE, 'utf8');
  const options = { bodyLimit: BODY_LIMIT, marker: 'text', hasUnscoped: () => true };
  const suites = LEVELS.map((level) => createSuite(source, { ...options, level }));
  const order = createOrder();
  const judge = (fault: FeatureFault): ReturnType<typeof findMildest> =>
    findMildest(suites, (suite) =>
      withFault(source, suite, fault, (target) => findComplaint(() => suite, target, order)),
    );
  return prove({
    title: 'faults of features',
    least: 27,
    threshold: 100,
    items: toItems({ features: featureFaults }),
    judge,
    control: async () => (await judge({ name: 'no fault' })).complaint,
    progress,
    extent,
  });
}

async function withFault(
  source: string,
  suite: Suite,
  { enforces = {}, unscoped, ...change }: FeatureFault,
  judge: (candidate: Candidate) => Promise<string | undefined>,
): Promise<string | undefined> {
  const missing = Object.keys(enforces).find((part) => !source.includes(part));
  if (missing !== undefined) throw new Error(`${FILE} has no ${missing}`);
  const enforced = Object.entries(enforces).reduce((text, [from, to]) => text.replace(from, () => to), source);
  await using target = await startStandIns(source, suite, BODY_LIMIT, {
    enforced,
    ...(unscoped && { unscoped }),
    install: (server) => {
      install(server, change);
    },
  });
  const { situations = {} } = target;
  return await judge({ target, startSituations: () => Promise.resolve({ situations }) });
}
