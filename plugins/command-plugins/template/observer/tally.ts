import type { Check, Observer } from "@gantry/sdk";

/** Counts in this process, so the row tells of a service alone while it serves: kind `ready`. */
export function createTally(): { readonly observer: Observer; readonly check: Check } {
  let [ended, failed] = [0, 0];
  return {
    observer: {
      name: "example",
      turnEnded({ stop }) {
        ended += 1;
        if (stop === "Error") failed += 1;
      },
    },
    check: {
      name: "example",
      kind: "ready",
      async run() {
        const state = failed > ended / 2 ? "warn" : "ok";
        return [{ what: "turns", state, detail: `${failed} of ${ended} failed` }];
      },
    },
  };
}
