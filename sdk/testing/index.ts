export * from "./asking-tool.ts";
export { callRoute, type RouteAnswer, type RouteCall } from "./call-route.ts";
export * from "./channel-contract.ts";
export * from "./channel-platform-contract.ts";
export type {
  ChannelPlatformSubject,
  OpenedPlatform,
  SendingEnds,
  TestPlatform,
  Told,
  Writing,
} from "./channel-platform/platform.ts";
export { checkApart } from "./check-apart.ts";
export type { ApartSubject, CheckedApart, PluginFacts } from "./check-apart/subject.ts";
export * from "./check-plugin.ts";
export * from "./fake-channel.ts";
export * from "./fake-clock.ts";
export * from "./fake-net.ts";
export * from "./fake-provider.ts";
export * from "./guard-contract.ts";
export * from "./media-contract.ts";
export { memoryContract, type MemorySubject, type OpenedMemory } from "./memory-contract.ts";
export * from "./memory-store.ts";
export * from "./net-contract.ts";
export * from "./plugin-contract.ts";
export * from "./provider-contract.ts";
export { openRoute, type OpenedRoute } from "./open-route.ts";
export { type OpenedSandbox, type SandboxSubject } from "./opened-sandbox.ts";
export { runCommand, type CommandCall, type CommandRan } from "./run-command.ts";
export * from "./sandbox-contract.ts";
export * from "./store-contract.ts";
export * from "./test-host.ts";
export * from "./tool-contract.ts";
export * from "./tool-run.ts";
export * from "./traffic.ts";
export * from "./contract-case.ts";
export * from "./store-contract/opened.ts";
