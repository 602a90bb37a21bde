/**
 * A way out to the names that the conformance suite gives its servers, which are this machine
 * alone.
 */
import { definePlugin, Net } from "@gantry/sdk";

export const suiteNet = definePlugin({
  name: "net-suite",
  provides: [Net],
  setup(host) {
    host.provide(Net, {
      check: async () => undefined,
      async fetch({ url, method = "GET", headers = {}, body, signal }) {
        const { hostname } = new URL(url);
        if (!["localhost", "127.0.0.1"].includes(hostname)) throw new Error(`${hostname} is not the suite`);
        const init = { method, headers, signal, redirect: "manual" } as const;
        return fetch(url, { ...init, ...(body !== undefined && { body: body as string }) });
      },
      async connect() {
        throw new Error("the suite needs no raw connections");
      },
    });
  },
});
