/**
 * The dashboard of a stage: one page of charts, from what the customer feels down to the stores.
 * It must never show anything that an alert does not explain, and never more than fits on one page.
 */

/** One line of a chart. */
export interface Series {
  readonly filter: string;
  readonly aligner: string;
  readonly reducer: string;
  /** Legend. */
  readonly name: string;
  readonly by?: readonly string[];
}

/** One chart; `unit` stands on its axis. */
export interface Chart {
  readonly title: string;
  readonly unit: string;
  readonly series: readonly Series[];
}

/** The JSON of the dashboard: two charts a row. */
export function dashboardJson(displayName: string, charts: readonly Chart[]): string {
  const tiles = charts.map((chart, index) => ({
    xPos: (index % 2) * TILE_WIDTH,
    yPos: Math.floor(index / 2) * TILE_HEIGHT,
    width: TILE_WIDTH,
    height: TILE_HEIGHT,
    widget: widgetOf(chart),
  }));
  return JSON.stringify({ displayName, mosaicLayout: { columns: 2 * TILE_WIDTH, tiles } });
}

function widgetOf({ title, unit, series }: Chart) {
  return {
    title,
    xyChart: {
      dataSets: series.map(({ filter, aligner, reducer, name, by = [] }) => ({
        plotType: "LINE",
        legendTemplate: name,
        timeSeriesQuery: {
          timeSeriesFilter: {
            filter,
            aggregation: {
              alignmentPeriod: "60s",
              perSeriesAligner: aligner,
              crossSeriesReducer: reducer,
              groupByFields: [...by],
            },
          },
        },
      })),
      yAxis: { label: unit, scale: "LINEAR" },
    },
  };
}

/** Monitoring's grid has 48 columns; half of them and 16 rows make a chart that can be read. */
const TILE_WIDTH = 24;
const TILE_HEIGHT = 16;
