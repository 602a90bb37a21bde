/** `@gantry/sdk/node` for plugins of level 2, which had the helpers of bundled plugins too. */
export * from "@gantry/sdk/node";
export * from "../shared/circuit.ts";
export * from "../shared/feed-markup.ts";
export * from "../shared/hidden-texts.ts";
export * from "../shared/open-files.ts";
export * from "../shared/plain-file.ts";
export * from "../shared/runtime-floors.ts";
export * from "../shared/trouble-rows.ts";
export * from "../shared/turn-status.ts";
