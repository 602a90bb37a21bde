import type { Route, Runtime } from "@gantry/sdk";
import { Type } from "typebox";

function list() {
  const ids = Type.Array(Type.String());
  const plugin = Type.Object({
    name: Type.String(),
    from: Type.String(),
    state: Type.String(),
    summary: Type.Optional(Type.String()),
    needs: ids,
    provides: ids,
    taps: ids,
  });
  const absent = Type.Object({ name: Type.String(), provides: ids, cure: Type.String() });
  return Type.Object({ plugins: Type.Array(plugin), absent: Type.Array(absent) });
}

/** Returns the route that lists the loaded plugins, and the slots that each fills. */
export function pluginsRoute(runtime: Runtime): Route {
  return {
    name: "GET /api/plugins",
    method: "GET",
    path: "/api/plugins",
    auth: "token",
    may: "read",
    summary: "The plugins: what each needs, fills and taps, and the bundled ones that are left out.",
    get replySchema() {
      return list();
    },
    handle: async () => ({
      status: 200,
      body: { plugins: runtime.plugins.map(whole), absent: (await runtime.absent?.()) ?? [] },
    }),
  };
}

/** A host of an earlier release, and a plugin that is left out, tell less. */
function whole(one: Runtime["plugins"][number]): object {
  return { needs: [], provides: [], taps: [], ...one };
}
