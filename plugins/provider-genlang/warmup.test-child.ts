import { startTestHost } from "@gantry/sdk/testing";
import net from "../net-undici/index.ts";
import store from "../store-sqlite/index.ts";
import plugin from "./index.ts";

const [configDir = "", endpoints = "{}"] = process.argv.slice(2);
await using host = await startTestHost({
  plugins: [store, net, plugin],
  config: { endpoints: JSON.parse(endpoints) },
  configDir,
});
const provider = await host.resolveProvider({ provider: "genlang", model: undefined });
console.log(await provider.warmup?.(new AbortController().signal));
