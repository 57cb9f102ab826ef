// Counts how often cases produced each declared reply and security requirement.
import type { CaseResult } from '../oracle/checks';
import type { Case } from '../generators/case';
import { findReply, operationOf, type Model, type Operation } from '../contract/model';
import { includes, type Level } from '../contract/standards';
import { replyContentOf } from './body';
import { isAccepted } from './judge';
import { valuesOf, type WireReply } from '../wire/reply';

/** A part of a contract, and the number of cases that produced it. */
export interface Item {
  /** The operationId. */
  readonly operation: string;
  /** Such as `404 response application/json` or `security bearerAuth`. */
  readonly name: string;
  readonly count: number;
}

type ItemName = Omit<Item, 'count'>;

export interface Coverage {
  readonly record: (result: CaseResult) => void;
  readonly list: () => Item[];
}

// Statuses that no case produces, because none sends a message that is large enough.
const UNPRODUCIBLE_STATUSES: ReadonlySet<string> = new Set(['413', '431']);

/** Counts only parts that cases of this level can produce. */
export function createCoverage(model: Model, level: Level = 'robust'): Coverage {
  const keyOf = ({ operation, name }: ItemName): string => `${operation}\n${name}`;
  const items = new Map(
    listDeclaredItems(model, level).map((item): [string, Item] => [keyOf(item), { ...item, count: 0 }]),
  );
  return {
    // Ignores undeclared replies, which the oracle reports.
    record(result) {
      const { case: testCase } = result;
      const operation = operationOf(model, testCase);
      for (const key of result.replies.flatMap((reply) => itemsOfReply(operation, testCase, reply)).map(keyOf)) {
        const item = items.get(key);
        if (item) items.set(key, { ...item, count: item.count + 1 });
      }
    },
    list: () => [...items.values()],
  };
}

function listDeclaredItems({ operations }: Model, level: Level): ItemName[] {
  // Only cases at level `robust` send undeclared media types.
  const isProducible = (status: string): boolean =>
    !UNPRODUCIBLE_STATUSES.has(status) && (status !== '415' || includes(level, 'robust'));
  return operations.flatMap((operation): ItemName[] => {
    const { id, replies, securityRequirements } = operation;
    return [
      ...[...replies].flatMap(([status, { contents }]) => {
        if (!isProducible(status)) return [];
        const types = contents.length > 0 ? contents.map(({ mediaType }) => mediaType) : [WITHOUT_BODY];
        return types.map((type) => ({ operation: id, name: `${status} response ${type}` }));
      }),
      ...securityRequirements.map((_schemes, index) => ({ operation: id, name: securityNameOf(operation, index) })),
    ];
  });
}

const WITHOUT_BODY = 'without a body';

/** Returns `security bearerAuth and apiKey` or `security public` (OpenAPI, Security Requirement Object). */
function securityNameOf({ securityRequirements }: Operation, index: number): string {
  const schemes = securityRequirements[index]?.map(({ name }) => name) ?? [];
  return `security ${schemes.length > 0 ? schemes.join(' and ') : 'public'}`;
}

function itemsOfReply(operation: Operation, { expect, requirement }: Case, reply: WireReply): ItemName[] {
  const { id } = operation;
  const hasRequirement = requirement !== undefined && expect === 'accepted' && isAccepted(operation, reply.status);
  const declared = findReply(operation, reply.status);
  // The key in the contract: `404`, `4XX` or `default`.
  const [status] = [...operation.replies].find(([, candidate]) => candidate === declared) ?? [String(reply.status)];
  const content = declared && replyContentOf(declared, reply);
  // A reply to HEAD has no body, and may lack Content-Type (RFC 9110 section 9.3.2).
  const isHead = operation.method === 'HEAD';
  const sentType = isHead ? declared?.contents[0]?.mediaType : valuesOf(reply, 'content-type')[0];
  const mediaType = content?.mediaType ?? sentType ?? WITHOUT_BODY;
  // HTTP requires these replies, so they do not belong to the operation.
  const isHttpReply = (expect === 'unknown path' || expect === 'unknown method') && [404, 405].includes(reply.status);
  // A case that accepts any reply can get an undeclared one.
  const isOperationReply = expect !== 'answered' && !isHttpReply;
  return [
    ...(hasRequirement ? [{ operation: id, name: securityNameOf(operation, requirement) }] : []),
    ...(isOperationReply ? [{ operation: id, name: `${status} response ${mediaType}` }] : []),
  ];
}
