/** `@gantry/sdk` for plugins of level 2: each name that this door had, from where it stands now. */
import { definePlugin as define, many, type Plugin, type PluginDefinition } from "@gantry/sdk";
import { wrongRoute, type ProvidedRoute } from "../../sdk/messages/route.ts";

export * from "@gantry/sdk";
export * from "@gantry/sdk/fill";
export { fileNames, secretFiles } from "@gantry/sdk/node";
export { endedText } from "../../sdk/turns/approval-text.ts";

export const SDK_LEVEL = 2;

/** Makes a plugin of level 2. */
export function definePlugin(definition: PluginDefinition): Plugin {
  return define({ sdk: SDK_LEVEL, ...definition });
}

/**
 * The slot of routes, where one that asks for a token may state no scope and then needs
 * `manage`.
 */
export const Routes = many<ProvidedRoute>("routes", wrongRoute);
