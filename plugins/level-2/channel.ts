/** `@gantry/sdk/channel` for plugins of level 2. */
export * from "@gantry/sdk/channel";
export { settledText } from "@gantry/sdk/fill";
