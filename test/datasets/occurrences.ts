/** A Darwin Core archive with the files of a GBIF download, and an export of iNaturalist observations, both small. */
import { writeBeside } from '../../src/formats/index.js';
import { ZipWriter } from '../../src/formats/zip-writer.js';

const term = (index: number, name: string) => `<field index="${index}" term="${name}"/>`;
const dwc = 'http://rs.tdwg.org/dwc/terms/';
const dc = 'http://purl.org/dc/terms/';
const format =
  'encoding="UTF-8" fieldsTerminatedBy="\\t" linesTerminatedBy="\\n" fieldsEnclosedBy="" ignoreHeaderLines="1"';

export const meta = `<?xml version="1.0" encoding="utf-8"?>
<archive xmlns="http://rs.tdwg.org/dwc/text/" metadata="metadata.xml">
  <core ${format} rowType="${dwc}Occurrence"><files><location>occurrence.txt</location></files><id index="0"/>
    ${term(1, `${dc}license`)}${term(2, 'http://rs.gbif.org/terms/1.0/species')}${term(3, `${dwc}vernacularName`)}${term(4, `${dwc}scientificName`)}
  </core>
  <extension ${format} rowType="http://rs.gbif.org/terms/1.0/Multimedia"><files><location>multimedia.txt</location></files><coreid index="0"/>
    ${['type', 'format', 'identifier', 'references', 'title', 'creator', 'license', 'rightsHolder'].map((name, i) => term(i + 1, `${dc}${name}`)).join('')}
  </extension>
</archive>`;

export const tables = {
  'occurrence.txt': [
    'gbifID\tlicense\tspecies\tvernacularName\tscientificName',
    '1\tCC_BY_4_0\tCyanocitta cristata\tBlue Jay\tCyanocitta cristata (Linnaeus, 1758)',
    '2\tCC0_1_0\tSeiurus aurocapilla\tOvenbird\tSeiurus aurocapilla (Linnaeus, 1766)',
    '3\tCC0_1_0\t\t\t',
  ],
  'multimedia.txt': [
    'gbifID\ttype\tformat\tidentifier\treferences\ttitle\tcreator\tlicense\trightsHolder',
    '1\tStillImage\timage/jpeg\thttps://example.org/1.jpg\thttps://example.org/1\tJay "at" feeder\tBob\thttp://creativecommons.org/licenses/by/4.0/\tAnn Example',
    '1\tStillImage\timage/jpeg\thttps://example.org/2.jpg\t\t\t\t\t',
    '2\tStillImage\timage/jpeg\thttps://example.org/3.jpg\t\t\t\t\t',
    '2\tSound\taudio/mpeg\thttps://example.org/song.mp3\t\t\t\t\t',
    '9\tStillImage\timage/jpeg\thttps://example.org/9.jpg\t\t\t\t\t',
  ],
};

/** @returns the path */
export async function darwinCore(file: string, members: Record<string, string> = {}): Promise<string> {
  const texts = Object.entries(tables).map(([name, lines]) => [name, `${lines.join('\n')}\n`]);
  const all = { 'meta.xml': meta, ...Object.fromEntries(texts), ...members } as Record<string, string>;
  await writeBeside(file, async (pending) => {
    const zip = new ZipWriter(pending);
    for (const [name, text] of Object.entries(all)) await zip.add(name, [Buffer.from(text)], true);
    await zip.finish();
  });
  return file;
}

export const inaturalist = `id,observed_on,quality_grade,license,url,image_url,user_name,description,taxon_id,scientific_name,common_name
101,2024-05-01,research,CC-BY-NC,https://www.inaturalist.org/observations/101,https://inaturalist-open-data.s3.amazonaws.com/photos/1/medium.jpg,Ann,"at the feeder, ""again""",8229,Cyanocitta cristata,Blue Jay
102,2024-05-02,needs_id,,https://www.inaturalist.org/observations/102,,Bob,,8229,Cyanocitta cristata,Blue Jay
`;
