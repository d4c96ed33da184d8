package posts;

import com.fasterxml.jackson.annotation.JsonProperty;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;

/** A row, as it is answered. */
@Entity
@Table(name = "posts")
public class Post {
    @Id
    private Long id;

    private String name;
    private String title;
    private String text;
    private Instant createdAt;

    public Long getId() {
        return id;
    }

    public String getName() {
        return name;
    }

    public String getTitle() {
        return title;
    }

    public String getText() {
        return text;
    }

    @JsonProperty("created_at")
    public Instant getCreatedAt() {
        return createdAt;
    }
}
