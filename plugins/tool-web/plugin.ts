import { Net, type Plugin, Sandbox, Tools, definePlugin, optional } from "@gantry/sdk";
import { Pages, toolsKeys } from "@gantry/sdk/fill";
import type { ApartBounds } from "@gantry/sdk/node";
import { Type } from "typebox";
import { errors } from "./errors.ts";
import { PageReader } from "./read-page.ts";
import { readAddress, webFetchTool } from "./web-fetch.ts";

const BOUNDS: ApartBounds = { cpuSeconds: 5, memoryMb: 256 };

/** `base`: the `import.meta.url` of a file beside which `page-worker` stands. */
export function webPlugin(base: string, bounds = BOUNDS): Plugin {
  return definePlugin({
    name: "tool-web",
    summary: "web_fetch: the readable text of a page, through the checked way out.",
    table: "",
    config: Type.Object({
      tools: Type.Object({
        browser_timeout_seconds: toolsKeys.browser_timeout_seconds,
        max_output_bytes: toolsKeys.max_output_bytes,
      }),
    }),
    needs: { net: optional(Net), sandbox: optional(Sandbox) },
    provides: [Tools, Pages],
    errors,
    setup(host) {
      const { browser_timeout_seconds, max_output_bytes } = host.config.tools;
      const options = {
        net: host.needs.net,
        reader: new PageReader({
          base,
          bounds,
          confining: host.needs.sandbox?.confining,
          signal: host.signal,
        }),
        timeoutMs: browser_timeout_seconds * 1000,
        maxOutputBytes: max_output_bytes,
      };
      host.provide(Tools, webFetchTool(options));
      host.provide(Pages, { read: (url, signal) => readAddress(options, url, signal) });
    },
  });
}
