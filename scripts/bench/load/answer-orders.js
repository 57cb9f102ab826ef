// @ts-check
'use strict';

/**
 * Makes this process a load generator: each message is an order, and its answer what was measured, or the problem.
 *
 * @template Order
 * @param {(order: Order) => Promise<object>} load
 */
function answerOrders(load) {
  process.on('message', async (order) => {
    const answer = await load(/** @type {Order} */ (order)).catch(({ message }) => ({ problem: message }));
    process.send?.(answer);
  });
  process.on('disconnect', () => process.exit());
  process.send?.('ready');
}

module.exports = { answerOrders };
