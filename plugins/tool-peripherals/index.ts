import { linux } from "./gpio-kernel.ts";
import { peripherals } from "./plugin.ts";

export default peripherals(linux);
