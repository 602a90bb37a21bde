import { definePlugin, ToolCatalog, Tools } from "@gantry/sdk";
import { callTool } from "./call-tool.ts";
import { searchTool } from "./search-tool.ts";

export default definePlugin({
  name: "tool-index",
  summary: "tool_search, tool_call: deferred tools are found by words and called by name.",
  needs: { catalog: ToolCatalog },
  provides: [Tools],
  setup(host) {
    const { catalog } = host.needs;
    host.provide(
      Tools,
      searchTool(async () => (await catalog.list()).filter(({ deferred }) => deferred === true)),
    );
    host.provide(Tools, callTool);
  },
});
