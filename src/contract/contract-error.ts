/** The contract cannot be served; the message says where and why. Raised at start-up and by the scripts only. */
export class ContractError extends Error {}
