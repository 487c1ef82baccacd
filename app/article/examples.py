"""Texts to start with: our own, in no set of data; the names are made up."""

EXAMPLES = {
    "news": {
        "The bridge": (
            "The harbour city of Brellin will close its oldest bridge for eighteen months from "
            "March, the council said on Tuesday. Engineers found cracks in two of the six iron "
            "arches after last winter's storms.\n\n"
            "Traffic will be sent over the new crossing to the north, and a free ferry will carry "
            "pedestrians and cyclists. Mayor Anna Lindqvist said the repairs would cost 48 million "
            "dollars. Shop owners near the bridge fear that customers will stay away."
        ),
        "The forecast": (
            "Shares of chip maker Veltronix fell 12 percent on Thursday after the company cut its "
            "forecast for the third quarter. The company said orders from makers of mobile phones "
            "had slowed and that inventories were too high. Analysts had expected sales of $1.4 "
            "billion. Veltronix now expects sales of between $1.1 billion and $1.2 billion. Chief "
            "executive Daniel Okafor said the company would not cut jobs."
        ),
        "The match": (
            "Striker Marco Bellandi scored twice in the second half as Rovara came from behind to "
            "beat Castellmar 3-2 on Sunday and move to the top of the league. Rovara trailed by two "
            "goals at half time. Coach Luis Ferrer brought on two young forwards and the match "
            "turned. Castellmar finished with ten men after a late red card."
        ),
        "Longer than it reads": (
            "Farmers in the Orla valley are counting their losses after a hailstorm destroyed most "
            "of the region's apple harvest on Saturday night. Hailstones as large as eggs fell for "
            "about twenty minutes, the weather service said.\n\n"
            "The growers' association put the damage at 30 million euros and asked the government "
            'for emergency loans. "We have not seen anything like it since 1987," said Jelena '
            "Maric, whose family has grown apples near the village of Dolna for four generations. "
            '"The trees stand there as if it were winter."\n\n'
            "Insurance covers only a part of the orchards, since nets against hail were long "
            "thought to be too expensive. Agriculture minister Pavel Horn will visit the valley on "
            "Monday. He said it was too early to speak of sums, but that nobody would be left "
            "alone.\n\n"
            "The storm also broke windows and damaged hundreds of cars. Nobody was hurt. Trains "
            "between Orla and the capital were delayed until Sunday noon, because fallen trees had "
            "blocked the line in three places."
        ),
    },
    "packages": {
        "A command": (
            "Tidelog reads tide tables and shows the height of the water for any harbour and hour. "
            "It draws a curve for the day in the terminal, warns of spring tides and can write a "
            "calendar file for your telephone. All tables are stored locally, so no network "
            "connection is needed."
        ),
        "A library": (
            "This library parses chess games in the PGN notation and checks that every move is "
            "legal. It provides a small C API with bindings for Python.\n\n"
            "This package contains the header files and static library needed to develop programs "
            "that use it."
        ),
        "A daemon": (
            "Mosswatch is a daemon that watches the temperature of hard disks and the speed of "
            "fans. When a limit is passed it can send a mail, run a command or shut the machine "
            "down. A web page with simple charts is included."
        ),
    },
}
