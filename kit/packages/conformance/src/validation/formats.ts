// Checks strings and integers against the formats that a standard defines.
import { isIPv4, isIPv6 } from 'node:net';
import { toRegExp } from '../contract/pattern';
import type { Json } from '../wire/json';

/** Whether a value matches a format; true for types that the format does not restrict. */
export type FormatCheck = (value: Json) => boolean;

const FULL_DATE = /^(\d{4}-\d{2}-\d{2})$/;
// A date and a time, separated by a T or a space (RFC 3339 section 5.6).
const DATE_TIME = /^(\d{4}-\d{2}-\d{2})[t ](.*)$/is;
const FULL_TIME = /^([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?(?:z|([+-])([01]\d|2[0-3]):([0-5]\d))$/i;
// A duration (RFC 3339 appendix A). ISO 8601 also allows missing components and fractions of seconds.
const DURATION = /^P(?=[\dT])(?:\d+W|(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+(?:[.,]\d+)?S)?)?)$/;
// A UUID (RFC 4122 section 3).
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
// Text in base64 (RFC 4648 section 4).
const BASE64 = /^(?:[a-z\d+/]{4})*(?:[a-z\d+/]{2}==|[a-z\d+/]{3}=)?$/i;
// A host name consists of labels (RFC 1123 section 2.1). A trailing dot stands for the root.
const HOSTNAME_LABEL = '[a-z\\d](?:[a-z\\d-]{0,61}[a-z\\d])?';
const HOSTNAME = new RegExp(`^(?=.{1,254}$)${HOSTNAME_LABEL}(?:\\.${HOSTNAME_LABEL})*\\.?$`, 'i');
// The local part of an email address consists of atoms or is quoted (RFC 5321 section 4.1.2).
const LOCAL_PART = /^(?:[\w!#$%&'*+\-/=?^`{|}~]+(?:\.[\w!#$%&'*+\-/=?^`{|}~]+)*|"(?:[ !#-[\]-~]|\\[ -~])*")$/;
// The parts of a URI (RFC 3986 appendix A).
const URI_CHARACTER = "(?:[\\w.~!$&'()*+,;=:@/?-]|%[\\da-f]{2})";
const HOST = "(?:\\[[\\da-f:.]+\\]|\\[v[\\da-f]+\\.[\\w.~!$&'()*+,;=:-]+\\]|(?:[\\w.~!$&'()*+,;=-]|%[\\da-f]{2})*)";
const AUTHORITY = `//(?:(?:[\\w.~!$&'()*+,;=:-]|%[\\da-f]{2})*@)?${HOST}(?::\\d*)?(?=[/?#]|$)`;
const URI_HIERARCHY = `(?:${AUTHORITY}|(?!//))(?:${URI_CHARACTER})*(?:#(?:${URI_CHARACTER})*)?$`;
const URI = new RegExp(`^[a-z][a-z\\d+.-]*:${URI_HIERARCHY}`, 'i');
const URI_REFERENCE = new RegExp(`^(?:[a-z][a-z\\d+.-]*:|(?![^/?#]*:))${URI_HIERARCHY}`, 'i');
// The parts of a URI template (RFC 6570 section 2, whose examples also contain a literal apostrophe).
const VARIABLE = '(?:\\w|%[\\da-f]{2})(?:\\.?(?:\\w|%[\\da-f]{2}))*(?::[1-9]\\d{0,3}|\\*)?';
const LITERAL = '[^\\x00-\\x20\\x7f"%<>\\\\^`{|}]|%[\\da-f]{2}';
const URI_TEMPLATE = new RegExp(`^(?:${LITERAL}|\\{[+#./;?&=,!@|]?${VARIABLE}(?:,${VARIABLE})*\\})*$`, 'iu');
// A JSON pointer (RFC 6901 section 3).
const JSON_POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/;

const TEXT_CHECKS: Readonly<Record<string, (text: string) => boolean>> = {
  date: (text) => isDate(FULL_DATE.exec(text)?.[1]),
  time: isTime,
  'date-time': (text) => {
    const [, date, time = ''] = DATE_TIME.exec(text) ?? [];
    return isDate(date) && isTime(time);
  },
  duration: (text) => DURATION.test(text),
  regex: (text) => toRegExp(text) !== undefined,
  email: isMailbox,
  uuid: (text) => UUID.test(text),
  byte: (text) => BASE64.test(text),
  hostname: (text) => HOSTNAME.test(text),
  ipv4: isIPv4,
  // Refuses a zone index, which RFC 4291 does not define.
  ipv6: (text) => isIPv6(text) && !text.includes('%'),
  uri: (text) => URI.test(text),
  'uri-reference': (text) => URI_REFERENCE.test(text),
  'uri-template': (text) => URI_TEMPLATE.test(text),
  'json-pointer': (text) => JSON_POINTER.test(text),
};

/** The check for each format. A format that is not listed accepts every value. */
export const FORMAT_CHECKS: ReadonlyMap<string, FormatCheck> = new Map<string, FormatCheck>([
  ...Object.entries(TEXT_CHECKS).map(([name, check]): [string, FormatCheck] => [
    name,
    (value) => typeof value !== 'string' || check(value),
  ]),
  ...[8, 16, 32, 64].flatMap((bits): [string, FormatCheck][] => [
    [`int${String(bits)}`, createIntegerCheck((value) => BigInt.asIntN(bits, value))],
    [`uint${String(bits)}`, createIntegerCheck((value) => BigInt.asUintN(bits, value))],
  ]),
]);

// `wrap` truncates an integer to the format's bits, which leaves an integer in range unchanged.
function createIntegerCheck(wrap: (value: bigint) => bigint): FormatCheck {
  return (value) => typeof value !== 'bigint' || wrap(value) === value;
}

// Date turns February 30 into March 2, so the result is compared with the text (RFC 3339 section 5.7).
function isDate(text: string | undefined): boolean {
  if (text === undefined) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

// A leap second must be the last second of a day in UTC (RFC 3339 section 5.7).
function isTime(text: string): boolean {
  const match = FULL_TIME.exec(text);
  if (match?.[3] !== '60') return match !== null;
  const [, hours, minutes, , sign, offsetHours = 0, offsetMinutes = 0] = match;
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === '-' ? -1 : 1);
  return (Number(hours) * 60 + Number(minutes) - offset + 1440) % 1440 === 1439;
}

function isMailbox(text: string): boolean {
  const atIndex = text.lastIndexOf('@');
  const domain = text.slice(atIndex + 1);
  const literal = /^\[(ipv6:)?(.*)\]$/i.exec(domain);
  const isDomain = literal ? (literal[1] === undefined ? isIPv4 : isIPv6)(literal[2] ?? '') : HOSTNAME.test(domain);
  return LOCAL_PART.test(text.slice(0, Math.max(0, atIndex))) && isDomain && !domain.endsWith('.');
}
