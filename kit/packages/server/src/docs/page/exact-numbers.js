// Keeps the digits of integers that a double cannot hold, as bigints, in what Swagger UI shows and sends. A browser
// that tells a reviver no source of a number shows them rounded.
const parse = JSON.parse;

function keepDigits(_key, value, { source } = {}) {
  return Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? BigInt(source) : value;
}

JSON.parse = (text, reviver = keepDigits) => parse(text, reviver);

BigInt.prototype.toJSON = function toJSON() {
  return JSON.rawJSON(this.toString());
};

/**
 * A plugin that makes Swagger UI keep bigints. Without it, Swagger UI would read the contract as YAML, which rounds large
 * integers, and lose bigints when it resolves references.
 */
function keepIntegers({ fn: { resolveSubtree }, specActions }) {
  // Replaces the action of Swagger UI that parses the text of the contract. This page's JSON.parse makes bigints.
  const parseToJson = () => (text) => specActions.updateJsonSpec(JSON.parse(text));
  return { fn: { resolveSubtree: resolveExactly }, statePlugins: { spec: { wrapActions: { parseToJson } } } };

  // Resolves references as Swagger UI does, which loses bigints: meanwhile a number stands in for each of them.
  async function resolveExactly(contract, ...more) {
    const bigintsByStandIn = new Map();
    const toStandIn = (value) => {
      if (typeof value !== 'bigint') return value;
      // A number so large that no contract has it; the second term makes each a different double.
      const standIn = 2 ** 1000 + bigintsByStandIn.size * 2 ** 950;
      bigintsByStandIn.set(standIn, value);
      return standIn;
    };
    const resolved = await resolveSubtree(mapLeaves(contract, toStandIn), ...more);
    return mapLeaves(resolved, (value) => bigintsByStandIn.get(value) ?? value);
  }
}

// Copies a JSON value; `change` maps each string, number, bigint, boolean and null in it.
function mapLeaves(node, change) {
  if (Array.isArray(node)) return node.map((item) => mapLeaves(item, change));
  if (typeof node !== 'object' || node === null) return change(node);
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, mapLeaves(value, change)]));
}
