import { Console } from "node:console";
import type { PluginHost } from "@gantry/sdk";
import { Peer } from "./peer.ts";
import { RunningPlugin } from "./running-plugin.ts";
import type { Work } from "./values.ts";

/**
 * The process of one plugin: it holds no key and nothing of the service but this channel. What the
 * plugin prints goes to stderr, as stdout is the channel.
 */
const { stdin, stdout, stderr } = process;
Object.defineProperty(process, "stdout", { value: stderr });
globalThis.console = new Console(stderr, stderr);
// The service has looked at who may write the plugin's files. In here other users have no names.
Object.defineProperty(process, "getuid", { value: undefined });

const tell = (...args: readonly unknown[]): Promise<unknown> => peer.ask(...args);
const log = (level: keyof PluginHost["log"]): Work => {
  return (detail, message) => void tell("log", level, detail, message).catch(() => undefined);
};
const plugin = new RunningPlugin(tell, {
  debug: log("debug"),
  info: log("info"),
  warn: log("warn"),
  error: log("error"),
});
const peer = new Peer(stdin, stdout, (step, ...args) => plugin.take(step, args), true);
stdin.on("close", () => process.exit(0));
process.on("unhandledRejection", (reason) => {
  void tell("failed", reason instanceof Error ? reason : new Error(String(reason))).catch(() => undefined);
});
