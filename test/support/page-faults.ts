// Looks over a page as it is drawn: what keeps somebody from reading it, or from using it by keyboard, finger or ear.
// It must never take the place of a person's eyes: it finds what a program can measure.

import type { Page } from "playwright-core";

// What a page has and this project's own code has not: the functions below run there.
// biome-ignore-start lint/suspicious/noExplicitAny: the types of a browser would make all of the project believe it is one.
declare const document: any;
declare const NodeFilter: any;
declare const getComputedStyle: (element: any) => any;
declare const matchMedia: (query: string) => { matches: boolean };
type Element = any;
// biome-ignore-end lint/suspicious/noExplicitAny: see above.

/** Sentences about what is wrong with the page as it stands; none for a sound one. */
export async function pageFaults(page: Page): Promise<string[]> {
  return [...(await page.evaluate(structuralFaults)), ...(await page.evaluate(visualFaults))];
}

/** Runs in the page: language, names, labels, headings. */
function structuralFaults(): string[] {
  const faults: string[] = [];
  const nameOf = (element: Element) =>
    (element.getAttribute("aria-label") ?? element.textContent ?? "").replace(/\s+/g, " ").trim();
  if (!/^[a-z]{2}/.test(document.documentElement.lang)) faults.push("the page has no language");
  if (document.title.trim() === "") faults.push("the page has no title");
  if (document.querySelectorAll("h1").length !== 1) faults.push("the page needs exactly one h1");
  if (document.querySelectorAll("main").length !== 1) faults.push("the page needs exactly one main");
  if (document.querySelector('meta[name="viewport"][content*="width=device-width"]') === null)
    faults.push("the page does not fit itself to a phone");
  for (const control of document.querySelectorAll("input:not([type=hidden]), select, textarea")) {
    const labels = [...(control.labels ?? [])].map((label: Element) => label.textContent?.trim() ?? "");
    if (labels.join("") === "" && !control.getAttribute("aria-label")) faults.push(`${control.name} has no label`);
  }
  for (const element of document.querySelectorAll("button, a")) {
    if (nameOf(element) === "") faults.push(`a ${element.localName} has no name`);
  }
  const radioGroups = new Set([...document.querySelectorAll("[type=radio]")].map((radio: Element) => radio.name));
  for (const name of radioGroups) {
    const grouped = document
      .querySelector(`[type=radio][name="${name}"]`)
      ?.closest("fieldset")
      ?.querySelector("legend");
    if (!grouped) faults.push(`the choice ${name} has no legend`);
  }
  return faults;
}

/** Runs in the page: contrast, size of targets, width. */
function visualFaults(): string[] {
  const faults: string[] = [];
  // Any colour that the style sheet can hold, as red, green, blue and opacity.
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  // A page has a handful of colours and a thousand texts, and each look at the canvas is a wait.
  const known = new Map<string, number[]>();
  const channels = (colour: string): number[] => {
    const seen = known.get(colour);
    if (seen !== undefined) return seen;
    const found = drawn(colour);
    known.set(colour, found);
    return found;
  };
  const drawn = (colour: string): number[] => {
    if (canvas === null) return [0, 0, 0, 0];
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (colour: string) => {
    const [red = 0, green = 0, blue = 0] = channels(colour).map((channel) => {
      const part = channel / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const backgroundOf = (element: Element): string => {
    for (let at: Element | null = element; at !== null; at = at.parentElement) {
      const { backgroundColor } = getComputedStyle(at);
      if ((channels(backgroundColor)[3] ?? 0) > 0) return backgroundColor;
    }
    return matchMedia("(prefers-color-scheme: dark)").matches ? "#121212" : "#ffffff";
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement;
    if (element === null || (node.textContent ?? "").trim() === "" || element.closest("option") !== null) continue;
    if (element.getClientRects().length === 0) continue;
    const [one, other] = [luminance(getComputedStyle(element).color), luminance(backgroundOf(element))];
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    // WCAG 2.2, 1.4.3: text of ordinary size.
    if (contrast < 4.5) faults.push(`contrast of "${node.textContent?.trim()}" is only ${contrast.toFixed(2)}`);
  }
  for (const target of document.querySelectorAll("button, a.button, select")) {
    const { width, height } = target.getBoundingClientRect();
    if (width < 44 || height < 44) faults.push(`"${target.textContent?.trim()}" is too small for a finger`);
  }
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) faults.push(`the page is ${scrollWidth} px wide on a screen of ${clientWidth}`);
  return faults;
}
