import { defineErrors, failed, policy, usage } from "@gantry/sdk";

export const errors = defineErrors({
  BROWSER_DRIVER: failed(
    "WebDriver connection failed: %s does not answer as a driver (%s): start one, such as `chromedriver --port=9515`, or set tools.browser_backend to http.",
  ),
  BROWSER_DRIVER_FAR: usage(
    "tools.webdriver_url is %s, which would carry pages over the network unencrypted: use an address of this machine, or https.",
  ),
  BROWSER_NO_PROXY: policy(
    "The browser of the driver at %s is not held to the proxy (%s), so it might reach anything and was closed: use a driver that honours the W3C proxy capability, or set tools.browser_backend to chromium.",
  ),
  BROWSER_MISSING: failed(
    "No Chromium was found at %s: install the package chromium, or set tools.chromium_path to its program.",
  ),
  BROWSER_NEEDS: failed(
    "The browser cannot work, because no plugin is loaded that %s: see `gantry plugins list`.",
  ),
  BROWSER_STARTED_NOT: failed("The browser did not start (%s): run `gantry doctor`."),
  BROWSER_LOST: failed("The browser has ended (%s) and its page is gone: open the page again."),
  BROWSER_NO_PAGE: usage("No page is open in this conversation: open one first."),
  BROWSER_ELEMENT: usage("The page has no element %s: read the page, then use a number that stands there."),
  BROWSER_CHANGED: policy(
    "The page has changed the element since this was decided on, so nothing was done with it: read the page again.",
  ),
  BROWSER_INERT: failed("Element %s could not be used (%s): read the page again."),
  BROWSER_CANNOT: usage(
    "The http backend only reads pages, follows links and sends forms by GET, so it cannot %s: set tools.browser_backend to chromium or webdriver.",
  ),
  BROWSER_REFUSED: policy("%s is not opened (%s): open an allowed address."),
  BROWSER_LEFT: policy(
    "The page led to %s (%s), so it was closed and a blank page opened: open an allowed address.",
  ),
  BROWSER_FAILED: failed("%s could not be opened (%s): check the address, or try again later."),
  BROWSER_DOWNLOADS: policy(
    "The folder %s of tools.browser_downloads leads to %s, which is not a folder within the workspace: remove that link, or name another folder.",
  ),
  BROWSER_ARGUMENT: usage("The action %s needs %s."),
});
