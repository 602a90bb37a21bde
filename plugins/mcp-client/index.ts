import { mcpClient } from "./plugin.ts";

export default mcpClient();
