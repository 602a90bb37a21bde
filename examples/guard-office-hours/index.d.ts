import type { ErrorTable, Hooks, Plugin } from "@gantry/sdk";

export declare const errors: ErrorTable<"OFFICE_CLOSED">;
export declare function officeHours(from: number, to: number, hour?: () => number): Hooks["beforeToolCall"];
declare const plugin: Plugin;
export default plugin;
