// Runs slow and long tests first: at the end no core waits for one of them.
const { default: Sequencer } = require('@jest/test-sequencer');

module.exports = class SlowFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const slow = sorted.filter(({ path }) => /[.](?:slow|long)[.]/.test(path));
    // Where no run before tells how long they take: the shorter a file, the more it does in a line.
    if (slow.every(({ duration }) => duration === undefined)) slow.reverse();
    return [...slow, ...sorted.filter((test) => !slow.includes(test))];
  }
};
