import { Net, Pages, Tools, definePlugin, optional, toolsKeys } from "@gantry/sdk";
import { Type } from "typebox";
import { errors } from "./errors.ts";
import { readAddress, webFetchTool } from "./web-fetch.ts";

export default definePlugin({
  name: "tool-web",
  summary: "web_fetch: the readable text of a page, through the checked way out.",
  table: "",
  config: Type.Object({
    tools: Type.Object({
      browser_timeout_seconds: toolsKeys.browser_timeout_seconds,
      max_output_bytes: toolsKeys.max_output_bytes,
    }),
  }),
  needs: { net: optional(Net) },
  provides: [Tools, Pages],
  errors,
  setup(host) {
    const { browser_timeout_seconds, max_output_bytes } = host.config.tools;
    const options = {
      net: host.needs.net,
      timeoutMs: browser_timeout_seconds * 1000,
      maxOutputBytes: max_output_bytes,
    };
    host.provide(Tools, webFetchTool(options));
    host.provide(Pages, { read: (url, signal) => readAddress(options, url, signal) });
  },
});
