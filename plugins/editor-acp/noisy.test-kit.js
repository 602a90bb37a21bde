/** A plugin that prints wherever it is called, as plugins of others do. */
console.log("noisy import");
const slot = (id) => ({ id, many: true, optional: false });
export default {
  name: "noisy",
  sdk: 3,
  summary: "Prints.",
  provides: [slot("observers")],
  setup(host) {
    console.log("noisy setup");
    host.provide(slot("observers"), {
      name: "noisy",
      turnStarted() {
        console.log("noisy turn");
        process.stdout.write("noisy turn, no line");
      },
    });
  },
};
