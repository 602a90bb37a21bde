import { sandboxPlugin } from "./plugin.ts";

export default sandboxPlugin(import.meta.url);
