// Checks formats as their RFCs or the OpenAPI Format Registry define them. Every pattern takes linear time, whatever is sent.
import { isIPv4, isIPv6 } from 'node:net';
import { domainToUnicode } from 'node:url';
import { mapValues } from '@contract-kit/contract';
import { isTrue } from '../errors/refusal';

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;
const DURATION =
  /^P(?:\d+W|(?=[\dT])(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)?(?:T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?)$/;

const FORMAT_CHECKS: Readonly<Record<string, (text: string) => boolean>> = {
  // RFC 3339 section 5.6: the rules date-time and full-time; appendix A: duration.
  'date-time': isDateTime,
  time: isTime,
  duration: (text) => DURATION.test(text),
  email: isMailbox, // RFC 5321 section 4.1.2: Mailbox
  // RFC 1123 section 2.1, with the A-labels of RFC 5890 section 2.3.2.1.
  hostname: isHostname,
  // RFC 3986 section 3: URI; section 4.1: URI-reference.
  uri: (text) => isUriReference(text) && /^[^/?#]+:/.test(text),
  'uri-reference': isUriReference,
  'uri-template': (text) => URI_TEMPLATE.test(text), // RFC 6570 section 2
  uuid: (text) => UUID.test(text), // RFC 9562 section 4
};

/** The formats for strings, in the form that Ajv expects. */
export const TEXT_FORMATS = mapValues(FORMAT_CHECKS, (validate) => ({ type: 'string', validate }) as const);

/** A team's own formats by name. Each function returns whether a string matches the format. */
export type Formats = Readonly<Record<string, (text: string) => boolean>>;

/** Returns a team's formats, and formats that ajv-formats lacks, or checks differently from their RFCs. */
export function createFormats(own: Formats): object {
  return {
    // No standard defines this format, so every string matches it.
    url: { type: 'string', validate: () => true },
    ...TEXT_FORMATS,
    ...mapValues(own, (validate) => ({ type: 'string', validate: (text: string) => isTrue(validate(text)) })),
  };
}

// RFC 3339 section 5.6: full-date, limited to the days of each month, and full-time.
const FULL_DATE =
  '\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|[12]\\d))';
const FULL_TIME = '(?:[01]\\d|2[0-3]):[0-5]\\d:(?:[0-5]\\d|60)(?:\\.\\d+)?(?:Z|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)';
const DATE_TIME = new RegExp(`^${FULL_DATE}T${FULL_TIME}$`, 'i');
const TIME = new RegExp(`^${FULL_TIME}$`, 'i');

function isDateTime(text: string): boolean {
  if (!DATE_TIME.test(text)) return false;
  const year = Number(text.slice(0, 4));
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return (isLeapYear || text.slice(5, 10) !== '02-29') && isValidSecond(text.slice('2026-01-01T'.length));
}

function isTime(text: string): boolean {
  return TIME.test(text) && isValidSecond(text);
}

// A leap second must be the last second of a day in UTC.
function isValidSecond(time: string): boolean {
  if (time.slice(6, 8) !== '60') return true;
  const offset = /z$/i.test(time) ? 0 : Number(`${String(time.at(-6))}1`) * toMinutes(time.slice(-5));
  return (toMinutes(time) - offset + MINUTES_PER_DAY) % MINUTES_PER_DAY === MINUTES_PER_DAY - 1;
}

const MINUTES_PER_DAY = 24 * 60;
const toMinutes = (time: string): number => 60 * Number(time.slice(0, 2)) + Number(time.slice(3, 5));

const ATOM = "[\\w!#$%&'*+\\-/=?^`{|}~]+";
const LOCAL_PART = new RegExp(`^(?:${ATOM}(?:\\.${ATOM})*|"(?:[ !#-[\\]-~]|\\\\[ -~])*")$`);

function isMailbox(text: string): boolean {
  // A quoted local part may contain another @.
  const at = text.lastIndexOf('@');
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)];
  // RFC 5321 section 4.5.3.1.1 limits the local part to 64 octets.
  if (at < 0 || local.length > 64 || !LOCAL_PART.test(local)) return false;
  return domain.startsWith('[') ? isAddressLiteral(domain) : isHostname(domain);
}

// Checks an address literal (RFC 5321 section 4.1.3).
function isAddressLiteral(text: string): boolean {
  const [, tag, address = ''] = /^\[(?:([\da-z-]*[\da-z]):)?([!-Z^-~]+)\]$/i.exec(text) ?? [];
  if (tag === undefined) return isIPv4(address);
  return tag.toLowerCase() !== 'ipv6' || isAddress(address);
}

// Whether the text is an IPv6 address without a zone index.
function isAddress(text: string): boolean {
  return isIPv6(text) && !text.includes('%');
}

const LABEL = /^[\da-z](?:[\da-z-]{0,61}[\da-z])?$/i;

function isHostname(text: string): boolean {
  return text.length <= 253 && text.split('.').every((label) => LABEL.test(label) && isLetterDigitHyphen(label));
}

// RFC 5890 section 2.3.1: only an A-label may have two hyphens in this position.
function isLetterDigitHyphen(label: string): boolean {
  return label.slice(2, 4) !== '--' || (/^xn--/i.test(label) && isUnicodeLabel(domainToUnicode(label)));
}

// Patterns that no label may match (RFC 5892 section 2.6, then appendix A in its order). domainToUnicode does not check them.
const WRONG_IN_LABEL = [
  /[\u0640\u07fa\u302e\u302f\u3031-\u3035\u303b]/u,
  /(?<!l)\u00b7|\u00b7(?!l)/u,
  /\u0375(?!\p{Script=Greek})/u,
  /(?<!\p{Script=Hebrew})[\u05f3\u05f4]/u,
  /^(?!.*[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]).*\u30fb/u,
  /[\u0660-\u0669].*[\u06f0-\u06f9]|[\u06f0-\u06f9].*[\u0660-\u0669]/u,
  // RFC 5891 section 4.2.3.1 forbids these hyphens.
  /^..--/u,
];

function isUnicodeLabel(label: string): boolean {
  return label !== '' && !WRONG_IN_LABEL.some((pattern) => pattern.test(label));
}

// Splits a URI reference into its parts (RFC 3986 appendix B).
const URI_PARTS = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/gs;
const ENCODED = '%[\\da-f]{2}';
const REGISTERED_NAME = `(?:[\\w.~!$&'()*+,;=-]|${ENCODED})*`;
const SCHEME = /^[a-z][\da-z+.-]*$/i;
const AUTHORITY = new RegExp(
  `^(?:(?:[\\w.~!$&'()*+,;=:-]|${ENCODED})*@)?(?:\\[(.*)\\]|${REGISTERED_NAME})(?::\\d*)?$`,
  'i',
);
const PATH = new RegExp(`^(?:[\\w.~!$&'()*+,;=:@/-]|${ENCODED})*$`, 'i');
const QUERY = new RegExp(`^(?:[\\w.~!$&'()*+,;=:@/?-]|${ENCODED})*$`, 'i');
const IP_FUTURE = /^v[\da-f]+\.[\w.~!$&'()*+,;=:-]+$/i;

function isUriReference(text: string): boolean {
  const [, scheme = 'a', authority = '', path, query = '', fragment = ''] = [...text.matchAll(URI_PARTS)].flat();
  const [hasAuthority, address] = AUTHORITY.exec(authority) ?? [];
  const isHost = hasAuthority !== undefined && (address === undefined || isAddress(address) || IP_FUTURE.test(address));
  return SCHEME.test(scheme) && isHost && PATH.test(String(path)) && QUERY.test(query) && QUERY.test(fragment);
}

const VARIABLE = `(?:\\w|${ENCODED})(?:\\.?(?:\\w|${ENCODED}))*(?:\\*|:[1-9]\\d{0,3})?`;
const LITERAL = "[!#$&'()*+,\\-./\\d:;=?@A-Z[\\]_a-z~\\u00a0-\\uffff]";
const URI_TEMPLATE = new RegExp(`^(?:${LITERAL}|${ENCODED}|\\{[+#./;?&=,!@|]?${VARIABLE}(?:,${VARIABLE})*\\})*$`, 'i');
